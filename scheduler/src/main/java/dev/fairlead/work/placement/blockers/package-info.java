/** Reasons for which a job waits: quota, reservations, quarantines, licences, node shapes. */
@NullMarked
package dev.fairlead.work.placement.blockers;

import org.jspecify.annotations.NullMarked;
