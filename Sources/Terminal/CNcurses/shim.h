#pragma once

/* The wide functions of curses.h are declared for a program that asks for them alone. */
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <term.h>

/* COLOR_PAIR is a macro with an argument, which Swift does not see. */
static inline attr_t cncurses_color_pair(int pair) { return (attr_t)COLOR_PAIR(pair); }
