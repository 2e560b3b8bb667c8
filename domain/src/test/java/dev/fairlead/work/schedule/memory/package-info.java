/** Schedules in memory. */
@NullMarked
package dev.fairlead.work.schedule.memory;

import org.jspecify.annotations.NullMarked;
