/** Which of several nodes that fit is taken. */
@NullMarked
package dev.fairlead.work.placement.score;

import org.jspecify.annotations.NullMarked;
