/** Limits of open resources in this process, for each caller. */
@NullMarked
package dev.fairlead.kernel.handle;

import org.jspecify.annotations.NullMarked;
