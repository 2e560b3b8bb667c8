/** Whether the clock of the database is believed. */
@NullMarked
package dev.fairlead.clock;

import org.jspecify.annotations.NullMarked;
