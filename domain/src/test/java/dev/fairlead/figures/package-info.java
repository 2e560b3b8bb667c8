/** Sizes of the guarantee tests. */
@NullMarked
package dev.fairlead.figures;

import org.jspecify.annotations.NullMarked;
