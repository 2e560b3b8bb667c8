/** Rows that are no longer looked at. */
@NullMarked
package dev.fairlead.kernel.retention;

import org.jspecify.annotations.NullMarked;
