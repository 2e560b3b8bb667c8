/** Recurring windows of pools and quota limits in request bodies. */
@NullMarked
package dev.fairlead.kernel.window;

import org.jspecify.annotations.NullMarked;
