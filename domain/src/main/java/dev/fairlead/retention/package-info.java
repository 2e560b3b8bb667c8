/** Rows that are no longer looked at. */
@NullMarked
package dev.fairlead.retention;

import org.jspecify.annotations.NullMarked;
