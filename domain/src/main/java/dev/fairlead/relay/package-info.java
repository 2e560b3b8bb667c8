/** What is made of events: the traces of jobs. */
@NullMarked
package dev.fairlead.relay;

import org.jspecify.annotations.NullMarked;
