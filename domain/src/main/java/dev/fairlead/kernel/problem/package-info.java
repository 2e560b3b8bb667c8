/** How Fairlead says no: one code, what and where it is, and what to do. */
@NullMarked
package dev.fairlead.kernel.problem;

import org.jspecify.annotations.NullMarked;
