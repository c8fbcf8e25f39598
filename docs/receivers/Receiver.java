// Does the work of each record once: java Receiver.java PORT
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.Executors;

class Receiver {
  public static void main(String[] arguments) throws Exception {
    var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
    var server = HttpServer.create(address, 0);
    server.setExecutor(Executors.newCachedThreadPool());
    Set<String> done = new HashSet<>();  // Yours is a table: see the page.
    server.createContext("/", exchange -> {
      var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
      // Put your JSON parser here. What it refuses is useless to try again: to the dead letter topic.
      boolean good = body.strip().startsWith("{");
      synchronized (done) {
        if (good && !done.contains(key)) {
          System.out.println("work " + key + " " + body);
          done.add(key);
        }
      }
      exchange.sendResponseHeaders(good ? 200 : 422, -1);
      exchange.close();
    });
    server.start();
  }
}
