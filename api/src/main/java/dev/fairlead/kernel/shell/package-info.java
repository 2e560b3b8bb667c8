/** What the pure parts are given from outside: the clock and new identifiers. */
@NullMarked
package dev.fairlead.kernel.shell;

import org.jspecify.annotations.NullMarked;
