/** Models of the protocols, checked exhaustively within small bounds. */
@NullMarked
package dev.fairlead.bench.models;

import org.jspecify.annotations.NullMarked;
