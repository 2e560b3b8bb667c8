/** Use cases of schedules, and the loop that submits their jobs. */
@NullMarked
package dev.fairlead.work.schedule.service;

import org.jspecify.annotations.NullMarked;
