/** Windows as people write them, of pools and of quota limits. */
@NullMarked
package dev.fairlead.kernel.window;

import org.jspecify.annotations.NullMarked;
