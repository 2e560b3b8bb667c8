/** Speed of the read side of the API on a million jobs. */
@NullMarked
package dev.fairlead.verify.load.api;

import org.jspecify.annotations.NullMarked;
