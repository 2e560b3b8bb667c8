/** Secrets of projects over HTTP. */
@NullMarked
package dev.fairlead.people.secret.web;

import org.jspecify.annotations.NullMarked;
