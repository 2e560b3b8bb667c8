/** Checks of the database. */
@NullMarked
package dev.fairlead.kernel.doctor.postgres;

import org.jspecify.annotations.NullMarked;
