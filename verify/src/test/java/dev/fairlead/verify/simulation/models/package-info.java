/** Models of the protocols, checked exhaustively within small bounds. */
@NullMarked
package dev.fairlead.verify.simulation.models;

import org.jspecify.annotations.NullMarked;
