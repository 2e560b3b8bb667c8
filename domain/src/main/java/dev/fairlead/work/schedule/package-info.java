/** Schedules: jobs that are submitted at times of a calendar. */
@NullMarked
package dev.fairlead.work.schedule;

import org.jspecify.annotations.NullMarked;
