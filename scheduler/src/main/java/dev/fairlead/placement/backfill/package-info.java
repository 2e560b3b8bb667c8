/** Places kept for the first of those that wait, at the earliest time they can be free. */
@NullMarked
package dev.fairlead.placement.backfill;

import org.jspecify.annotations.NullMarked;
