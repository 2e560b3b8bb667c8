/** What the pure parts are given from outside: the clock and new identifiers. */
@NullMarked
package dev.fairlead.shell;

import org.jspecify.annotations.NullMarked;
