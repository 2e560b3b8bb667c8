/** Timelines read from PostgreSQL. */
@NullMarked
package dev.fairlead.timeline.postgres;

import org.jspecify.annotations.NullMarked;
