/** What callers hold open in this process, bounded for each of them. */
@NullMarked
package dev.fairlead.kernel.handle;

import org.jspecify.annotations.NullMarked;
