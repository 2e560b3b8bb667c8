/** Schedules over HTTP. */
@NullMarked
package dev.fairlead.work.schedule.web;

import org.jspecify.annotations.NullMarked;
