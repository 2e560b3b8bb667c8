/** Volumes, transfers and copies of the database. */
@NullMarked
package dev.fairlead.verify.simulation.data;

import org.jspecify.annotations.NullMarked;
