/** Schedules: jobs that are submitted at set times. */
@NullMarked
package dev.fairlead.work.schedule;

import org.jspecify.annotations.NullMarked;
