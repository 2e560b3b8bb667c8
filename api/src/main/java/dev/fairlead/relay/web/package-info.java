/** Events as pages and as a stream. */
@NullMarked
package dev.fairlead.relay.web;

import org.jspecify.annotations.NullMarked;
