#!/usr/bin/env python3
"""Writes the receipts of Tests/PrintingTests with python-escpos, as hexadecimal bytes.

The lines stand here as they are to stand on the paper, so that the layout is compared, too. A style is set where it
differs from the one of the line before.
"""
import sys

from escpos.printer import Dummy


class Paper:
    """A receipt printer of python-escpos that sets a style only when it changes."""

    def __init__(self, chinese):
        # A printer's own code page after ESC @ is 437; python-escpos then writes ASCII as it is, and every text with
        # a Chinese character in GB18030.
        self.printer = Dummy(magic_encode_args={"encoding": "CP437"})
        self.style = None
        self.printer.hw("INIT")
        if chinese:
            self.printer._raw(b"\x1c&")
        else:
            self.printer.charcode("CP1252")

    def line(self, text, align="left", bold=False, height=1, width=1):
        self.set(align, bold, height, width)
        self.printer.textln(text)

    def set(self, align="left", bold=False, height=1, width=1):
        style = {"align": align, "bold": bold, "custom_size": True, "height": height, "width": width}
        if style != self.style:
            self.printer.set(**style)
        self.style = style

    def qr(self, text, level, size):
        self.set(align="center")
        self.printer.qr(text, ec=level, size=size, native=True)

    def end(self):
        self.printer.cut(mode="PART")


def english():
    paper = Paper(chinese=False)
    paper.line("Corner Shop", align="center", bold=True)
    paper.line("*** OFFLINE ***", align="center", bold=True, height=2)
    paper.line("No. B010-T1-20261122-0001")
    paper.line("-" * 48)
    paper.line("Crème brûlée in a jar with a very long name from")
    paper.line("the farm")
    paper.line("  2 x 3.50" + " " * 34 + "7.00")
    paper.line("  Discount (two for one and a half)" + " " * 8 + "-1.75")
    paper.line("-" * 48)
    paper.line("TOTAL EUR" + " " * 35 + "5.25", bold=True, height=2)
    paper.line("Cash €" + " " * 37 + "10.00")
    paper.line("??")
    paper.qr("HF1.abcdefghijklmnop", level=1, size=6)
    paper.printer.print_and_feed(2)
    paper.end()
    return paper


def chinese():
    paper = Paper(chinese=True)
    paper.printer.cashdraw(2)
    paper.line("*** COPY 副本 ***", align="center", bold=True, height=2)
    paper.line("社区便利店", align="center", bold=True, width=2)
    paper.line("单号 B010-T1-20261122-0001")
    paper.line("-" * 32)
    paper.line("有机高山云雾绿茶礼盒装二百五十克")
    paper.line("每盒附赠茶具一套")
    paper.line("  2 x 128.00" + " " * 14 + "256.00")
    paper.line("  满两百减二十（会员专享  -20.00")
    paper.line("优惠券）")
    paper.line("找零…" + " " * 21 + "14.00")
    paper.end()
    return paper


sys.stdout.write({"english": english, "chinese": chinese}[sys.argv[1]]().printer.output.hex())
