/** REST endpoints of secrets of projects. */
@NullMarked
package dev.fairlead.people.secret.web;

import org.jspecify.annotations.NullMarked;
