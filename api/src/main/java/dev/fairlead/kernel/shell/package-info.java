/** Inputs of the pure parts: the clock and new identifiers. */
@NullMarked
package dev.fairlead.kernel.shell;

import org.jspecify.annotations.NullMarked;
