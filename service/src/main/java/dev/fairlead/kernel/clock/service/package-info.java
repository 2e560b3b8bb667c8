/** Judges the clock of the database before irreversible work of a loop. */
@NullMarked
package dev.fairlead.kernel.clock.service;

import org.jspecify.annotations.NullMarked;
