/** Refusals of Fairlead: one code, the object and its position, and the next step. */
@NullMarked
package dev.fairlead.kernel.problem;

import org.jspecify.annotations.NullMarked;
