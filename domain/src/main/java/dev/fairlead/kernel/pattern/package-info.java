/** Regular expressions that users write. */
@NullMarked
package dev.fairlead.kernel.pattern;

import org.jspecify.annotations.NullMarked;
