/** Judges the clock of the database before a loop does what cannot be undone. */
@NullMarked
package dev.fairlead.clock.service;

import org.jspecify.annotations.NullMarked;
