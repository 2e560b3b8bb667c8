/** Schedules on PostgreSQL. */
@NullMarked
package dev.fairlead.work.schedule.postgres;

import org.jspecify.annotations.NullMarked;
