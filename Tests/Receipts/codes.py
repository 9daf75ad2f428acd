#!/usr/bin/env python3
"""Finds the QR codes in a stream of ESC/POS commands, draws each as a printer would and has zbarimg read it.

Usage: codes.py STREAM DOTS. Prints for each code one line: the text that was read. A code that is wider than DOTS
dots, with the four white modules on each side, ends the program with an error.
"""
import pathlib
import subprocess
import sys
import tempfile

import qrcode
from qrcode import constants

LEVELS = {48: constants.ERROR_CORRECT_L, 49: constants.ERROR_CORRECT_M}
stream, dots = pathlib.Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
size, level, text = 0, 0, b""
place = stream.find(b"\x1d(k")
while place >= 0:
    length = stream[place + 3] + 256 * stream[place + 4]
    kind, function, *parameters = stream[place + 5 : place + 5 + length]
    assert kind == 49, "not a QR code"
    if function == 67:
        size = parameters[0]
    elif function == 69:
        level = LEVELS[parameters[0]]
    elif function == 80:
        text = bytes(parameters[1:])
    elif function == 81:
        code = qrcode.QRCode(error_correction=level, box_size=size, border=4)
        code.add_data(text, optimize=0)
        code.make(fit=True)
        width = (code.modules_count + 8) * size
        if width > dots:
            sys.exit(f"the code takes {width} dots of {dots}")
        with tempfile.NamedTemporaryFile(suffix=".png") as image:
            code.make_image().save(image.name)
            read = subprocess.run(
                ["zbarimg", "--quiet", "--raw", image.name], check=True, capture_output=True, text=True)
        print(read.stdout.rstrip("\n"))
    place = stream.find(b"\x1d(k", place + 5 + length)
