/** Checks of the database. */
@NullMarked
package dev.fairlead.doctor.postgres;

import org.jspecify.annotations.NullMarked;
