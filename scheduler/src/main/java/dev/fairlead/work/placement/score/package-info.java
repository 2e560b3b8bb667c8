/** The choice between several suitable nodes. */
@NullMarked
package dev.fairlead.work.placement.score;

import org.jspecify.annotations.NullMarked;
