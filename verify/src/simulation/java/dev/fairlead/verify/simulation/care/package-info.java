/** Devices, their drivers and their series. */
@NullMarked
package dev.fairlead.verify.simulation.care;

import org.jspecify.annotations.NullMarked;
