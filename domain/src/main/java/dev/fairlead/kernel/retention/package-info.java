/** Rows that are no longer read. */
@NullMarked
package dev.fairlead.kernel.retention;

import org.jspecify.annotations.NullMarked;
