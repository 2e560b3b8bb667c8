/** Judges the clock of the database before a loop does what cannot be undone. */
@NullMarked
package dev.fairlead.kernel.clock.service;

import org.jspecify.annotations.NullMarked;
