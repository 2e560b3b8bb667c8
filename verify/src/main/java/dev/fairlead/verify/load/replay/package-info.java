/** Replays public traces through the REST API with compressed time. */
@NullMarked
package dev.fairlead.verify.load.replay;

import org.jspecify.annotations.NullMarked;
