/** In-memory implementation of the efficiencie store. */
@NullMarked
package dev.fairlead.money.efficiency.memory;

import org.jspecify.annotations.NullMarked;
