/** Replays public traces through the production engine in virtual time. */
@NullMarked
package dev.fairlead.verify.engine.timelapse;

import org.jspecify.annotations.NullMarked;
