#pragma once

/* The wide functions of curses.h are declared for a program that asks for them alone. */
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <term.h>

/* COLOR_PAIR is a macro with an argument, which Swift does not see. */
static inline attr_t cncurses_color_pair(int pair) { return (attr_t)COLOR_PAIR(pair); }

/* Global variables and macros of curses.h, which Swift 6 does not take over. */
static inline bool cncurses_begin(void) { return newterm((char *)0, stdout, stdin) != 0; }
static inline void cncurses_redraw_all(void) { clearok(stdscr, TRUE); }
static inline void cncurses_set_attributes(attr_t attributes) {
    (void)attr_set(attributes & ~A_COLOR, (short)PAIR_NUMBER(attributes), (void *)0);
}
static inline attr_t cncurses_bold(void) { return A_BOLD; }
static inline attr_t cncurses_reverse(void) { return A_REVERSE; }
static inline attr_t cncurses_underline(void) { return A_UNDERLINE; }
static inline attr_t cncurses_dim(void) { return A_DIM; }
