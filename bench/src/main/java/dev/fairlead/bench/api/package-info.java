/** Speed of the read side of the API on a million jobs. */
@NullMarked
package dev.fairlead.bench.api;

import org.jspecify.annotations.NullMarked;
