/** Timelines read from PostgreSQL. */
@NullMarked
package dev.fairlead.care.timeline.postgres;

import org.jspecify.annotations.NullMarked;
