/** Transition tables: the only form in which state machines are written, tested and documented. */
@NullMarked
package dev.fairlead.kernel.lifecycle;

import org.jspecify.annotations.NullMarked;
