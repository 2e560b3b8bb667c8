/** Whether the clock of the database is believed. */
@NullMarked
package dev.fairlead.kernel.clock;

import org.jspecify.annotations.NullMarked;
