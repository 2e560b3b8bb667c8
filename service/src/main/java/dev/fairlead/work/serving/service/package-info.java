/** Model services: commands, the loop that runs them, and the pass over the routes of a cluster. */
@NullMarked
package dev.fairlead.work.serving.service;

import org.jspecify.annotations.NullMarked;
