/** Replays public traces through the REST API with compressed time. */
@NullMarked
package dev.fairlead.bench.replay;

import org.jspecify.annotations.NullMarked;
