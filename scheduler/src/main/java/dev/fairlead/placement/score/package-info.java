/** Which of several nodes that fit is taken. */
@NullMarked
package dev.fairlead.placement.score;

import org.jspecify.annotations.NullMarked;
